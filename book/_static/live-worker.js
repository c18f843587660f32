// Python beside the page: loads Pyodide and our packages from the site's own files, then draws what the page asks for.
let page;

const steps = {
  start: async (pyodideFolder) => {
    const say = (progress) => postMessage({ progress });
    say("Loading Python (13 MB)");
    importScripts(`${pyodideFolder}pyodide.js`);
    const [python, lock] = await Promise.all([
      loadPyodide({ indexURL: pyodideFolder }),
      fetch(`${pyodideFolder}pyodide-lock.json`).then((answer) => answer.json()),
    ]);
    say("Loading NumPy and Matplotlib (13 MB)");
    const wheel = fetch(pyodideFolder + lock.packages["prefill-decode"].file_name).then((answer) => answer.arrayBuffer());
    await python.loadPackage(["numpy", "matplotlib"], { messageCallback: () => {} });
    python.unpackArchive(await wheel, "wheel");
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
