// The facts that the page holds, unpacked: what is written shorter is told in rochull.report.packing.
import { byId } from "./report_elements";
import type { Facts } from "./report_facts";
import { fromEntries, isArray, isFinite, listOf } from "./maths";
type Packed = string | number | boolean | null | Packed[] | { [key: string]: Packed };

const doubles = (text: string): Packed[] => listOf(new Float64Array(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer),
  (value) => (isFinite(value) ? value : value > 0 ? "inf" : "-inf"));
function rows([keys, ...columns]: Packed[]): Packed[] {
  const lists = columns.map(unpacked) as Packed[][];
  return lists[0].map((_, i) => fromEntries((keys as string[]).map((key, j) => [key, lists[j][i]])));
}
function unpacked(value: Packed): Packed {
  if (!isArray(value)) {
    if (value !== null && typeof value === "object") for (const key of Object.keys(value)) value[key] = unpacked(value[key]);
    return value;
  }
  const [kind, first, ...more] = value;
  let sum = 0;
  if (kind === true) return ([first, ...more] as number[]).map((step) => (sum += step));
  if (kind !== false) return value.map(unpacked);
  if (typeof first === "string") return doubles(first);
  if (typeof first === "number") return Array(first).fill(more[0]);
  return first === null ? more.map(unpacked) : rows([first, ...more]);
}
const read = () => unpacked(JSON.parse(byId("facts")!.textContent!)) as unknown as Facts;

export { read, unpacked };
