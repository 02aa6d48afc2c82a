"use strict";
// Draws what the element "data" holds, in the colours of the page, and again when those change.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const drawn = [];
  const colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const font = "system-ui, sans-serif";
  const number = (value) =>
    value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);

  const chart = (id, height, option) => {
    const element = document.getElementById(id);
    element.style.height = height + "px";
    const made = echarts.init(element, null, { renderer: "svg" });
    made.setOption({
      animation: false,
      textStyle: { color: colour("text"), fontFamily: font, fontSize: 12 },
      backgroundColor: "transparent",
      ...option,
    });
    drawn.push(made);
  };
  const tooltip = () => ({
    confine: true,
    backgroundColor: colour("lane"),
    borderColor: colour("line"),
    textStyle: { color: colour("text"), fontSize: 12 },
  });
  // The library measures text on a canvas, where some fonts are narrower than in a drawing.
  const grid = (top, right) => ({ left: 28, right, top, bottom: 34, containLabel: true });
  const names = (arms) => ({
    type: "category",
    inverse: true,
    data: arms.map((arm) => arm.name),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colour("line") } },
    axisLabel: { color: colour("text"), interval: 0, margin: 14, width: 300, overflow: "break" },
  });
  const values = (name, more) => ({
    name,
    nameLocation: "middle",
    nameGap: 26,
    nameTextStyle: { color: colour("soft") },
    axisLabel: { color: colour("soft"), hideOverlap: true },
    splitLine: { lineStyle: { color: colour("line") } },
    ...more,
  });

  const share = (arm) =>
    `${arm.lostPercent.toFixed(2)} %  (${arm.lost} of ${arm.landed})` +
    (arm.publishedLost === null ? "" : `, published ${arm.publishedLost} %`);
  // Then the number stands behind the published figure, or that would be drawn over it.
  const publishedBehind = (arm) =>
    arm.lostPercent !== null && arm.publishedLost !== null && arm.publishedLost >= arm.lostPercent;

  const lost = () => {
    const arms = data.arms;
    const styles = new Map(arms.map((arm) => [arm.protection, arm.style]));
    const series = [...styles]
      .map(([words, style]) => ({
        name: words,
        type: "bar",
        stack: "lost",
        barMaxWidth: 16,
        itemStyle: { color: colour(style) },
        label: {
          show: true,
          position: "right",
          color: colour("text"),
          formatter: (point) => {
            const arm = arms[point.dataIndex];
            return publishedBehind(arm) ? "" : share(arm);
          },
        },
        data: arms.map((arm) =>
          arm.protection === words && arm.lostPercent !== null ? arm.lostPercent : null),
      }));
    series.push({
      name: "published",
      type: "scatter",
      symbol: "diamond",
      symbolSize: 11,
      z: 5,
      itemStyle: { color: colour("back"), borderColor: colour("published"), borderWidth: 1.8,
        opacity: 1 },
      label: {
        show: true,
        position: "right",
        color: colour("text"),
        formatter: (point) => {
          const arm = arms[point.dataIndex];
          return publishedBehind(arm) ? share(arm) : "";
        },
      },
      data: arms.map((arm) => arm.publishedLost),
    });
    chart("lost", 90 + arms.length * 26, {
      grid: grid(40, 240),
      legend: { top: 0, left: 8, textStyle: { color: colour("text") } },
      tooltip: { ...tooltip(), formatter: (point) => {
        const arm = arms[point.dataIndex];
        const published = arm.publishedLost === null ? "" : `<br>published: ${arm.publishedLost} %`;
        return `${echarts.format.encodeHTML(arm.name)}<br>${arm.lost} of ${arm.landed} lost${published}`;
      } },
      xAxis: values("lost updates, % of those that landed", { type: "value", min: 0 }),
      yAxis: names(arms),
      series,
    });
  };

  const latency = (id, which, withPublished) => {
    const arms = data.arms.filter((arm) => arm[which] !== null);
    if (arms.length === 0) {
      document.getElementById(id).textContent = "Not measured in this run.";
      return;
    }
    // A logarithm has no place for a zero.
    const visible = (value) => Math.max(0.001, value);
    const series = [
      {
        type: "boxplot",
        boxWidth: [6, 13],
        data: arms.map((arm) => {
          const q = arm[which];
          const style = colour(arm.style);
          return {
            value: [q.p1, q.p25, q.p50, q.p75, q.p99].map(visible),
            itemStyle: { color: style + "44", borderColor: style, borderWidth: 1.6 },
          };
        }),
      },
      {
        type: "scatter",
        symbolSize: 0.1,
        silent: true,
        itemStyle: { opacity: 1 },
        label: { show: true, position: "right", distance: 8, color: colour("text"),
          formatter: (point) => {
            const arm = arms[point.dataIndex];
            return `${number(arm[which].p99)} ms` + (withPublished && arm.publishedP99 !== null
              ? `, published ${arm.publishedP99} ms` : "");
          } },
        data: arms.map((arm) => Math.max(visible(arm[which].p99),
          withPublished && arm.publishedP99 !== null ? arm.publishedP99 : 0)),
      },
    ];
    if (withPublished) {
      series.push({
        name: "published p99",
        type: "scatter",
        symbol: "diamond",
        symbolSize: 11,
        itemStyle: { color: colour("back"), borderColor: colour("published"), borderWidth: 1.8,
        opacity: 1 },
        data: arms.map((arm) => arm.publishedP99),
      });
    }
    chart(id, 64 + arms.length * 26 + (withPublished ? 24 : 0), {
      grid: grid(withPublished ? 34 : 10, 150),
      legend: withPublished
        ? { top: 0, left: 8, data: ["published p99"], textStyle: { color: colour("text") } }
        : undefined,
      tooltip: { ...tooltip(), formatter: (point) => {
        const arm = arms[point.dataIndex];
        const q = arm[which];
        return `${echarts.format.encodeHTML(arm.name)}, ${q.count} transactions<br>` +
          ["p1", "p25", "p50", "p75", "p99", "max"]
            .map((name) => `${name} ${number(q[name])} ms`).join("<br>");
      } },
      xAxis: values("milliseconds", { type: "log", axisLabel: { color: colour("soft"),
        hideOverlap: true, formatter: (value) => String(+value.toPrecision(2)) } }),
      yAxis: names(arms),
      series,
    });
  };

  const story = (told, id) => {
    const refused = told.steps[told.steps.length - 1].kind === "REFUSED";
    const bars = [
      { lane: 0, from: told.first.from, to: told.first.to, style: "lease", height: 28,
        after: refused ? "its write is refused" : "its write overwrites" },
      { lane: 1, from: told.second.from, to: told.second.to, style: "fenced", height: 28,
        after: "gets the lock and writes" },
    ];
    if (told.goesOnAt > told.stopsAt) {
      bars.push({ lane: 0, from: told.stopsAt, to: told.goesOnAt, style: "stop", height: 16,
        within: "process stopped" });
    }
    const text = (words, x, y, align, fill) => ({ type: "text",
      style: { text: words, x, y, align, verticalAlign: "middle", fill, font: "12px " + font } });
    chart(id, 160, {
      grid: { left: 28, right: 150, top: 30, bottom: 40, containLabel: true },
      xAxis: values("milliseconds since client 1 got the lock", { type: "value", min: 0 }),
      yAxis: { ...names([]), data: ["client 1", "client 2"] },
      series: [{
        type: "custom",
        data: bars.map((bar) => [bar.lane, bar.from, bar.to]),
        encode: { x: [1, 2], y: 0 },
        clip: false,
        renderItem: (params, api) => {
          const bar = bars[params.dataIndex];
          const [left, y] = api.coord([bar.from, bar.lane]);
          const right = Math.max(left + 3, api.coord([bar.to, bar.lane])[0]);
          const children = [{ type: "rect", style: { fill: colour(bar.style) },
            shape: { x: left, y: y - bar.height / 2, width: right - left, height: bar.height } }];
          if (bar.after) {
            children.push(text(bar.after, right + 6, y, "left", colour("text")));
          }
          if (bar.within && right - left > 110) {
            children.push(text(bar.within, (left + right) / 2, y, "center", "#ffffff"));
          }
          return { type: "group", children };
        },
        markLine: told.leaseEnds > 0 ? {
          symbol: "none",
          silent: true,
          lineStyle: { color: colour("text"), type: "dashed" },
          label: { formatter: "lease over", color: colour("text"), position: "start" },
          data: [{ xAxis: told.leaseEnds }],
        } : undefined,
      }],
    });
  };

  const draw = () => {
    drawn.splice(0).forEach((made) => made.dispose());
    lost();
    data.stories.forEach((told, i) => story(told, "story" + i));
    latency("uncontended", "uncontended", true);
    latency("delayed", "delayed", true);
    latency("contended", "contended", false);
    latency("waited", "waited", false);
    document.documentElement.dataset.drawn =
      matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("resize", () => drawn.forEach((made) => made.resize()));
})();
