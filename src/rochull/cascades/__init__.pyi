from rochull.cascades.cascade import Cascade as Cascade
from rochull.cascades.held_out import CascadeTrial as CascadeTrial
from rochull.cascades.policy import CascadeFrontier as CascadeFrontier
from rochull.cascades.policy import CascadePoint as CascadePoint
from rochull.cascades.policy import CascadePolicy as CascadePolicy
