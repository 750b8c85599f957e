// What the report's pages use of d3 7.9.2, which src/rochull/report/templates/d3.min.js holds and nothing else:
//   npm install d3@7.9.2 esbuild@0.28.2
//   npx esbuild scripts/d3_of_pages.js --bundle --minify --format=iife --global-name=d3 --target=es2020 \
//     --banner:js="// d3 7.9.2 (https://d3js.org) Copyright 2010-2026 Mike Bostock" --outfile=src/rochull/report/templates/d3.min.js
export { bisectCenter, bisectLeft, bisectRight, max, min, range } from "d3-array";
export { scaleLinear } from "d3-scale";
export { symbol, symbolDiamond, symbolStar } from "d3-shape";
