from rochull.groups.constraints import GroupRule as GroupRule
from rochull.groups.constraints import constrain_groups as constrain_groups
from rochull.groups.group_policy import GroupPolicy as GroupPolicy
