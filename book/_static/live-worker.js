// Python beside the page: loads Pyodide and our packages from the site's own files, then draws what the page asks for.
let page;

const steps = {
  start: async (pyodideFolder) => {
    let loadedBytes = 0;
    const say = (progress) => postMessage({ progress });
    const count = (files) => {
      for (const file of files) loadedBytes += file.decodedBodySize;
      say(`Loading Python, NumPy and Matplotlib: ${Math.round(loadedBytes / 1e6)} of 27 MB`);
    };
    const arrivals = new PerformanceObserver((list) => count(list.getEntries()));
    arrivals.observe({ type: "resource" });
    count([]);
    // Pyodide waits for ever for some of its files; a download that fails has to end the wait.
    const failure = new Promise((_, reject) => {
      const download = self.fetch;
      self.fetch = async (...request) => {
        const answer = await download(...request).catch((error) => error);
        if (answer.ok) return answer;
        const error = new Error(`${answer.url ?? request[0]}: ${answer.status ?? answer.message}`);
        reject(error);
        throw error;
      };
    });
    importScripts(`${pyodideFolder}pyodide.js`);
    const ours = fetch(`${pyodideFolder}pyodide-lock.json`)
      .then((answer) => answer.json())
      .then((lock) => fetch(pyodideFolder + lock.packages["prefill-decode"].file_name))
      .then((answer) => answer.arrayBuffer());
    const loaded = loadPyodide({ indexURL: pyodideFolder, packages: ["numpy", "matplotlib"] });
    const python = await Promise.race([loaded, failure]);
    python.unpackArchive(await ours, "wheel");
    arrivals.disconnect();
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
