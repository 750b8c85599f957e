from rochull.cascades.cascade import Cascade as Cascade
from rochull.cascades.cascade_policy import CascadeFrontier as CascadeFrontier
from rochull.cascades.cascade_policy import CascadePoint as CascadePoint
from rochull.cascades.cascade_policy import CascadePolicy as CascadePolicy
from rochull.cascades.held_out import CascadeTrial as CascadeTrial
from rochull.cascades.routing import Routing as Routing
from rochull.cascades.routing import RoutingPoint as RoutingPoint
from rochull.cascades.routing import route as route
