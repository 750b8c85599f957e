from rochull.cli.app import main as main
