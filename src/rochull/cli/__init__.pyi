from rochull.cli.entry import main as main
