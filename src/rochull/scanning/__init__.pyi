from rochull.scanning.areas import AreaBound as AreaBound
from rochull.scanning.readings import Scan as Scan
from rochull.scanning.scanner import scan as scan
