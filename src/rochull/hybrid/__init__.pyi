from rochull.hybrid.assured import AssuredChoice as AssuredChoice
from rochull.hybrid.hybrid import Hybrid as Hybrid
from rochull.hybrid.need import Need as Need
from rochull.hybrid.regret import Regret as Regret
from rochull.hybrid.regret import RegretTable as RegretTable
from rochull.hybrid.restriction import Restriction as Restriction
from rochull.hybrid.sensitivity import PotentiallyOptimal as PotentiallyOptimal
from rochull.hybrid.sensitivity import Sensitivity as Sensitivity
