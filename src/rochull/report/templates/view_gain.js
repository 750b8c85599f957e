// Cumulative gain: what share of the positives is found among so many cases.
"use strict";
rochullViews.add(rochullPlanes.view({
  id: "gain", title: "Gain",
    about: "The share of positives that is caught (up) when so large a share of the cases is flagged (to the right).", xTitle: "share flagged", yTitle: "positives caught", chance: "gain of chance", moves: true,
  all: (f, t, p) => ({ x: rochullPlanes.loop(f, t, p), y: t }),
  told: (f, t, p) => [["flagged", rochullFormat.rate(rochullCurves.flagged(f, t, p))]],
}));
