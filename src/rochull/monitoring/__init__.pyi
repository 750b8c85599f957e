from rochull.monitoring.monitor import Finding as Finding
from rochull.monitoring.monitor import Monitor as Monitor
