// The script that runs a page's own one, which stands in the element with the id "code" (see packing.py): it is put into
// the page as it was before it was packed, so that the page's policy lets it run by its hash.
import { inflated } from "../inflate.ts";

const text = atob(document.getElementById("code").textContent), packed = new Uint8Array(text.length);
for (let i = 0; i < text.length; i += 1) packed[i] = text.charCodeAt(i);
const script = document.createElement("script");
script.textContent = new TextDecoder().decode(inflated(packed));
document.body.append(script);
