from rochull.calibration.bounds import llr_bounds as llr_bounds
from rochull.calibration.concavities import ConcavityRepair as ConcavityRepair
from rochull.calibration.fusion import LogisticFusion as LogisticFusion
from rochull.calibration.kinds import load_calibrator as load_calibrator
from rochull.calibration.parametric import BetaCalibrator as BetaCalibrator
from rochull.calibration.parametric import LogisticCalibrator as LogisticCalibrator
from rochull.calibration.pav import PavCalibrator as PavCalibrator
from rochull.calibration.venn_abers import VennAbers as VennAbers
