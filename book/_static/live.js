// "Run live here": on that click, and not before, a workshop gets Python from the site's own files (live-worker.js).
// Its static frames stay in use until the first figure is drawn.
document.addEventListener("DOMContentLoaded", () => {
  const pyodideFolder = new URL(`${document.documentElement.dataset.content_root}lite/static/pyodide/`, location).href;
  const workerFile = new URL("live-worker.js", document.querySelector("script[src*='live.js']").src);
  const cannot =
    (location.protocol === "file:" && "Python runs only where this page comes from a server, not from a file.") ||
    (!(window.WebAssembly && window.Worker) && "This browser cannot run Python. All that is computed is shown.");
  const live = "Live: every control redraws the figure in Python, in this page.";
  const patienceSeconds = 60;
  let python;

  // The last line of a message: Python's are tracebacks. A worker whose file is not there says nothing.
  const reason = (error) => error.message.trim().split("\n").pop() || "a file could not be loaded";

  // One Python for all workshops of the page. Questions wait for the answer to the one before.
  const startPython = (report) => {
    const worker = new Worker(workerFile);
    let last = Promise.resolve();
    let lost;
    const give = (question) =>
      new Promise((resolve, reject) => {
        if (lost) throw lost;
        let alarm;
        const wait = () => {
          clearTimeout(alarm);
          alarm = setTimeout(() => {
            worker.terminate();
            lost = new Error(`nothing came for ${patienceSeconds} seconds`);
            reject(lost);
          }, patienceSeconds * 1000);
        };
        const end = (settle, outcome) => {
          clearTimeout(alarm);
          settle(outcome);
        };
        worker.onerror = (error) => end(reject, new Error(error.message));
        worker.onmessage = ({ data }) => {
          if (data.progress) {
            wait();
            report(data.progress);
          } else if (data.failure) end(reject, new Error(data.failure));
          else end(resolve, data.answer);
        };
        wait();
        worker.postMessage(question);
      });
    const ask = (...question) => {
      last = last.catch(() => {}).then(() => give(question));
      return last;
    };
    return ask("start", pyodideFolder).then(
      () => ask,
      (error) => {
        worker.terminate();
        throw error;
      },
    );
  };

  const written = (control, value) => {
    if (control.options) return control.options[value];
    const [, digits, unit] = control.readout.match(/\.(\d+)([f%])/);
    return unit === "%" ? `${(value * 100).toFixed(digits)}%` : value.toFixed(digits);
  };

  // A labelled slider, or a list to choose from where the options have no order.
  const makeControl = (workshop, control) => {
    const row = document.createElement("div");
    row.className = "workshop-slider";
    const isList = control.options && !control.ordered;
    const input = document.createElement(isList ? "select" : "input");
    input.id = `${workshop.dataset.workshop}-live-${control.argument}`;
    input.autocomplete = "off"; // else a browser that comes back gives its value to the static slider in its place
    const label = document.createElement("label");
    label.htmlFor = input.id;
    label.textContent = control.label;
    const output = document.createElement("output");
    output.htmlFor = input.id;
    if (isList) {
      input.append(...control.options.map((name, index) => new Option(name, index)));
    } else {
      const range = control.options ? [0, control.options.length - 1, 1] : [control.least, control.largest, control.step];
      [input.min, input.max, input.step] = range;
      input.type = "range";
      if (control.options) input.dataset.labels = JSON.stringify(control.options);
    }
    row.append(label, output, input);
    const set = (value) => {
      input.value = value;
      say();
    };
    const say = () => {
      if (isList) return;
      output.textContent = written(control, Number(input.value));
      input.setAttribute("aria-valuetext", output.textContent);
    };
    // a slider stays where the reader has put it
    const stood = document.getElementById(`${workshop.dataset.workshop}-${control.argument}`);
    const start = () => set(stood ? control.options.indexOf(stood.getAttribute("aria-valuetext")) : control.start);
    return { argument: control.argument, row, input, set, say, start };
  };

  const goLive = async (workshop, button, ask, report) => {
    const figures = workshop.dataset.figures;
    const controls = (await ask("describe", figures)).map((control) => makeControl(workshop, control));
    const settings = () => Object.fromEntries(controls.map(({ argument, input }) => [argument, Number(input.value)]));
    const frame = document.createElement("div");
    frame.className = "frame";

    // A newly chosen base of assumptions sets the controls for each of them.
    const follow = async () => {
      const fields = await ask("follow", figures, settings());
      for (const { argument, set } of controls) if (argument in fields) set(fields[argument]);
    };
    // At most one redraw waits: whatever the controls say when Python is free again is what is drawn next.
    let drawing = false;
    let waiting = false;
    const redraw = async () => {
      waiting = true;
      if (drawing) return;
      drawing = true;
      try {
        while (waiting) {
          waiting = false;
          const drawn = await ask("draw", figures, settings());
          const open = frame.querySelector("details")?.open;
          frame.innerHTML = drawn;
          frame.querySelector("details").open = open;
          workshop.dispatchEvent(new Event("drawn"));
        }
      } finally {
        drawing = false;
      }
    };

    const rebase = controls.some(({ argument }) => argument === "assumptions") ? follow : () => {};
    const stops = () => [...workshop.querySelectorAll("input")].map(({ value }) => value).join();
    let taken;
    while (taken !== stops()) {
      taken = stops();
      for (const control of controls) control.start();
      await rebase();
      await redraw();
    }
    for (const control of controls) {
      control.input.addEventListener("input", async () => {
        control.say();
        try {
          if (control.argument === "assumptions") await rebase();
          await redraw();
          report(live);
        } catch (error) {
          report(`This setting could not be drawn (${reason(error)}). If others cannot either, load the page again.`);
        }
      });
    }
    // the focus stays on the slider that it was on, or goes from the button, which has done its work, to the first,
    // and brings it into sight
    const focus = document.activeElement;
    workshop.classList.add("workshop-live");
    workshop.querySelector(".workshop-controls").replaceChildren(...controls.map(({ row }) => row));
    workshop.querySelector(".workshop-stage").replaceChildren(frame);
    if (focus === button || !focus.isConnected) {
      const same = controls.find(({ argument }) => focus.id === `${workshop.dataset.workshop}-${argument}`);
      (same ?? controls[0]).input.focus();
    }
  };

  // only where the live view has more than the page
  for (const workshop of document.querySelectorAll(".workshop[data-figures]")) {
    const bar = document.createElement("p");
    bar.className = "workshop-run";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Run live here";
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    const report = (sentence) => {
      if (status.textContent !== sentence) status.textContent = sentence; // what is said again is not read out again
    };
    bar.append(button, status);
    workshop.append(bar);

    button.addEventListener("click", async () => {
      if (button.ariaDisabled === "true") return;
      if (cannot) {
        report(cannot);
        return;
      }
      button.ariaDisabled = "true"; // `disabled` would throw the focus away
      try {
        python ??= startPython((progress) => {
          document.querySelectorAll(".workshop-run button[aria-disabled] + span").forEach((each) => {
            each.textContent = `${progress} …`;
          });
        });
        const ask = await python;
        report("Drawing …");
        await goLive(workshop, button, ask, report);
        button.remove();
        report(live);
      } catch (error) {
        python = undefined;
        button.ariaDisabled = null;
        report(`Python did not start, so the sliders above show what was computed before (${reason(error)}).`);
      }
    });
  }

  // The button that leads to JupyterLite says so here rather than open a page that would wait for ever.
  const launch = document.querySelector(".btn-launch-in-browser");
  if (cannot && launch) {
    launch.addEventListener("click", (event) => {
      event.preventDefault();
      const sentence = document.createElement("p");
      sentence.setAttribute("role", "status");
      sentence.textContent = cannot;
      document.querySelector(".bd-article").prepend(sentence);
    });
  }
});
