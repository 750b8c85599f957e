// What deflate made short, as it was (RFC 1951; no block is stored as it is, since none of a text is). A browser's own
// DecompressionStream has it later, when whoever prints or captures a loaded page has done so.

/** For the next bits of a text, as many as the longest code has: 16 times the symbol, and how long its code is. */
type Code = Uint16Array;
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function codeOf(lengths: number[]): Code {
  const size = 1 << Math.max(...lengths), table = new Uint16Array(size);
  let code = 0; // with its first bit last, as it is read
  for (let length = 1; 1 << length <= size; length += 1) {
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      if (lengths[symbol] !== length) continue;
      for (let i = code; i < size; i += 1 << length) table[i] = (symbol << 4) | length;
      let bit = 1 << (length - 1); // the next code is one more
      for (; code & bit; bit >>= 1) code ^= bit;
      code |= bit;
    }
  }
  return table;
}

/** From where on each symbol counts, and how many bits it has beside: `every` so many symbols one more. */
function scale(size: number, first: number, every: number): [number, number][] {
  let from = first;
  return Array.from({ length: size }, (_, i) => {
    const bits = Math.max(0, Math.floor(i / every) - 1), own: [number, number] = [from, bits];
    from += 2 ** bits;
    return own;
  });
}
const LENGTHS = [...scale(28, 3, 4), [258, 0]], DISTANCES = scale(30, 1, 2);

export function inflated(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  let at = 0, hold = 0, held = 0, isLast = 0;
  const need = (n: number): void => { for (; held < n; held += 8) hold |= bytes[at++]! << held; };
  function bits(n: number): number {
    need(n);
    const found = hold & ((1 << n) - 1);
    hold >>>= n;
    held -= n;
    return found;
  }
  function symbol(code: Code): number {
    need(15);
    const found = code[hold & (code.length - 1)]!;
    bits(found & 15);
    return found >> 4;
  }
  function codes(): [Code, Code] {
    const literals = bits(5) + 257, distances = bits(5) + 1, size = bits(4) + 4, own = new Array<number>(19).fill(0), lengths: number[] = [];
    for (let i = 0; i < size; i += 1) own[ORDER[i]!] = bits(3);
    const code = codeOf(own);
    while (lengths.length < literals + distances) {
      const next = symbol(code);
      if (next < 16) lengths.push(next);
      else for (let i = next === 16 ? bits(2) + 3 : next === 17 ? bits(3) + 3 : bits(7) + 11, old = next === 16 ? lengths.at(-1)! : 0; i; i -= 1) lengths.push(old);
    }
    return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
  }
  const fixed = (): [Code, Code] => [codeOf(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))), codeOf(new Array<number>(30).fill(5))];
  while (!isLast) {
    isLast = bits(1);
    const [literals, distances] = bits(2) === 2 ? codes() : fixed();
    for (let next = symbol(literals); next !== 256; next = symbol(literals)) {
      if (next < 256) {
        out.push(next);
        continue;
      }
      const [length, more] = LENGTHS[next - 257]!, end = out.length + length! + bits(more!), [back, beside] = DISTANCES[symbol(distances)]!, from = out.length - back! - bits(beside!);
      for (let i = from; out.length < end; i += 1) out.push(out[i]!);
    }
  }
  return new Uint8Array(out);
}
