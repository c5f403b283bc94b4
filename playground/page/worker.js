// gpulint itself, beside the page, so that a long check does not stop the page. A question and its answer are JSON.
"use strict";

const module = fetch("gpulint.wasm")
  .then((response) => {
    if (!response.ok) throw new Error(`gpulint.wasm: ${response.status}`);
    return response.arrayBuffer();
  })
  .then((bytes) => WebAssembly.instantiate(bytes, {}))
  .then(({ instance }) => instance.exports);

function answerOf(gpulint, question) {
  const asked = new TextEncoder().encode(JSON.stringify(question));
  const room = gpulint.room(asked.length);
  new Uint8Array(gpulint.memory.buffer, room, asked.length).set(asked);
  let trap;
  try {
    gpulint.answer();
  } catch (error) {
    trap = error;
  }
  const answer = new TextDecoder().decode(new Uint8Array(gpulint.memory.buffer, gpulint.answered(), gpulint.length()));
  if (trap instanceof RangeError) throw new Error("the text is nested too deeply for a browser");
  // Where gpulint failed, its answer says why.
  if (trap) throw new Error(answer ? JSON.parse(answer).refused : String(trap));
  return JSON.parse(answer);
}

onmessage = async ({ data: { number, question } }) => {
  try {
    const gpulint = await module;
    const begun = performance.now();
    const answer = answerOf(gpulint, question);
    postMessage({ number, answer, took: performance.now() - begun });
  } catch (error) {
    postMessage({ number, failed: error.message });
  }
};
