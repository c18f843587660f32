// Python beside the page: loads Pyodide and our packages from the site's own files, then draws what the page asks for.
let page;

const say = (progress) => postMessage({ progress });

// Follows every download of Pyodide's to its last byte. It waits for ever for a file that fails or breaks off: the
// promise that is given here then ends the wait.
const followDownloads = () => {
  const download = self.fetch;
  let loadedBytes = 0;
  const count = (bytes) => {
    loadedBytes += bytes;
    say(`Loading Python, NumPy and Matplotlib: ${Math.round(loadedBytes / 1e6)} of 26 MB`);
  };
  count(0);
  return new Promise((_, reject) => {
    self.fetch = async (...request) => {
      try {
        const answer = await download(...request);
        if (!answer.ok) throw new Error(answer.status);
        const reader = answer.body.getReader();
        const chunks = [];
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          chunks.push(part.value);
          count(part.value.length);
        }
        return new Response(new Blob(chunks), { headers: answer.headers });
      } catch (error) {
        const failure = new Error(`${String(request[0]).split("/").pop()}: ${error.message}`);
        reject(failure);
        throw failure;
      }
    };
  });
};

const steps = {
  start: async (pyodideFolder) => {
    const failure = followDownloads();
    try {
      importScripts(`${pyodideFolder}pyodide.js`);
    } catch {
      throw new Error("pyodide.js: not loaded");
    }
    const ours = fetch(`${pyodideFolder}pyodide-lock.json`)
      .then((answer) => answer.json())
      .then((lock) => fetch(pyodideFolder + lock.packages["prefill-decode"].file_name))
      .then((answer) => answer.arrayBuffer());
    const loaded = loadPyodide({ indexURL: pyodideFolder, packages: ["numpy", "matplotlib"] });
    const python = await Promise.race([loaded, failure]);
    python.unpackArchive(await ours, "wheel");
    say("Starting them");
    python.runPython("import matplotlib; matplotlib.use('agg')");
    page = python.pyimport("course.page");
  },
  describe: (figures) => JSON.parse(page.describe(figures)),
  follow: (figures, settings) => JSON.parse(page.follow(figures, JSON.stringify(settings))),
  draw: (figures, settings) => page.draw(figures, JSON.stringify(settings)),
};

onmessage = async ({ data: [step, ...words] }) => {
  try {
    postMessage({ answer: await steps[step](...words) });
  } catch (error) {
    postMessage({ failure: error.message });
  }
};
