from rochull.monitoring.finding import Finding as Finding
from rochull.monitoring.monitor import Monitor as Monitor
