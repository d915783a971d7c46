/**
 * The page's own script: draws the plots, keeps them as wide as the page, shows and hides series, sorts tables, copies
 * values. It is a string because it runs in the browser, without a build.
 */
export const CLIENT = `
'use strict';
const three = (value) => String(Number(value.toPrecision(3)));
const clock = (seconds) => {
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.floor(seconds % 60)];
  const text = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return text.replace(/^00:0?/, '').replace(/^0(?=\\d:\\d\\d:)/, '');
};
const formats = {
  name: String,
  perSecond: (value) => three(value) + '/s',
  duration: (value) => (value < 1 ? three(value * 1000) + ' ms' : three(value) + ' s'),
  clock,
  mebibytes: (value) => Math.round(value) + ' MiB',
  cores: (value) => three(value),
  count: (value) => three(value),
  share: (value) => three(value * 100) + ' %',
};
const axisFormats = { ...formats, mebibytes: String, perSecond: three };

function prepare({ option, units, tips }) {
  option.xAxis.axisLabel.formatter = axisFormats[units.x];
  option.yAxis.axisLabel.formatter = axisFormats[units.y];
  if (option.series[0] && option.series[0].type === 'custom') return flames(option);
  option.tooltip.axisPointer.label = { show: false };
  if (tips) option.tooltip.formatter = (series) => tips[String(series[0].value[0])];
  else {
    option.tooltip.formatter = (series) => {
      const box = document.createElement('div');
      box.append(strong(formats[units.x](series[0].value[0])));
      for (const { seriesName, value, color } of series) {
        if (value[1] === null || value[1] === undefined) continue;
        box.append(row(seriesName, formats[units.y](value[1]), color));
      }
      return box;
    };
  }
  return option;
}

// Frames of a flame graph: value is [depth, from, to], name the function.
function flames(option) {
  for (const series of option.series) {
    series.renderItem = (params, api) => {
      const [left, middle] = api.coord([api.value(1), api.value(0) + 0.5]);
      const [width, height] = api.size([api.value(2) - api.value(1), 1]);
      const area = params.coordSys;
      const shape = echarts.graphic.clipRectByRect(
        { x: left, y: middle - height / 2, width: Math.max(width - 1, 0.5), height: height - 1 },
        area,
      );
      if (!shape) return undefined;
      const text = shape.width < 30 ? '' : series.data[params.dataIndex].name;
      return {
        type: 'rect',
        emphasisDisabled: true,
        shape,
        style: { fill: series.itemStyle.color },
        textContent: {
          style: { text, fill: 'var(--flame-text)', fontSize: 11, width: shape.width - 8, overflow: 'truncate' },
        },
        textConfig: { position: 'insideLeft' },
      };
    };
  }
  option.tooltip.formatter = ({ data }) => {
    const box = document.createElement('div');
    box.append(strong(data.name), row(data.package, formats.share(data.value[2] - data.value[1]), 'transparent'));
    return box;
  };
  return option;
}

// A click on a frame makes it as wide as the plot; one on the lowest row shows all again.
function zoom(chart) {
  chart.on('click', ({ value: [depth, from, to] }) => {
    chart.setOption({ xAxis: depth === 0 ? { min: 0, max: 1 } : { min: from, max: to } });
  });
}

function strong(text) {
  const element = document.createElement('strong');
  element.textContent = text;
  return element;
}

function row(name, value, colour) {
  const element = document.createElement('div');
  const marker = document.createElement('i');
  const number = document.createElement('b');
  marker.style.background = colour;
  number.textContent = value;
  element.className = 'tip-row';
  element.append(marker, name + ' ', number);
  return element;
}

const charts = new Map();
for (const [id, plot] of Object.entries(JSON.parse(document.getElementById('plots').textContent))) {
  const chart = echarts.init(document.getElementById(id), null, { renderer: 'svg' });
  chart.setOption(prepare(plot));
  if (plot.option.series[0] && plot.option.series[0].type === 'custom') zoom(chart);
  charts.set(id, chart);
}
// The script does not run when the page is printed: the view box makes the drawing scale by itself.
function fit(chart) {
  chart.resize();
  chart.getDom().querySelector('svg').setAttribute('viewBox', '0 0 ' + chart.getWidth() + ' ' + chart.getHeight());
}
new ResizeObserver(() => charts.forEach(fit)).observe(document.querySelector('main'));

document.addEventListener('click', ({ target }) => {
  const key = target.closest('[data-series]');
  if (key) {
    const shown = key.getAttribute('aria-pressed') === 'false';
    key.setAttribute('aria-pressed', String(shown));
    charts.get(key.dataset.plot).dispatchAction({ type: shown ? 'legendSelect' : 'legendUnSelect', name: key.dataset.series });
  }
  const sort = target.closest('[data-sort]');
  if (sort) sortBy(sort.closest('th'));
  const copy = target.closest('[data-copy]');
  if (copy) copyText(copy, document.getElementById(copy.dataset.copy));
});

// Explains a word while the pointer or the focus is on it; Escape closes it. The pointer may move onto the explanation.
const bubble = document.getElementById('explanation');
let leaving;
let explainedWord;
let explainedAt;
function explain(word) {
  clearTimeout(leaving);
  explainedWord = word;
  bubble.textContent = document.getElementById(word.getAttribute('aria-describedby')).textContent;
  bubble.showPopover();
  const at = word.getBoundingClientRect();
  explainedAt = at.top;
  const below = at.bottom + 6 + bubble.offsetHeight <= innerHeight;
  bubble.style.left = Math.max(8, Math.min(at.left, innerWidth - bubble.offsetWidth - 8)) + 'px';
  bubble.style.top = (below ? at.bottom + 6 : at.top - bubble.offsetHeight - 6) + 'px';
}
const leave = () => (leaving = setTimeout(() => bubble.hidePopover(), 150));
for (const word of document.querySelectorAll('[data-term]')) {
  for (const event of ['pointerenter', 'focus']) word.addEventListener(event, () => explain(word));
  for (const event of ['pointerleave', 'blur']) word.addEventListener(event, leave);
}
bubble.addEventListener('pointerenter', () => clearTimeout(leaving));
bubble.addEventListener('pointerleave', leave);
document.addEventListener('keydown', ({ key }) => key === 'Escape' && bubble.hidePopover());
// It does not move with its word. (A word that was scrolled to has not moved since.)
const hideIfMoved = () => explainedWord?.getBoundingClientRect().top !== explainedAt && bubble.hidePopover();
addEventListener('scroll', hideIfMoved, { passive: true, capture: true });

for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false;

// Each body of the table is one item, sorted by a cell of its first row; items without a value come last.
function sortBy(head) {
  const table = head.closest('table');
  const direction = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
  for (const other of table.querySelectorAll('[aria-sort]')) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
  const valueOf = (body) => body.rows[0].cells[head.cellIndex].dataset.value;
  const compare = (a, b) => {
    if (a === '' || b === '') return (a === '') - (b === '');
    return direction * a.localeCompare(b, 'en', { numeric: true });
  };
  const number = (text) => text !== '' && Number.isFinite(Number(text));
  const bodies = [...table.tBodies].map((body) => ({ body, value: valueOf(body) }));
  bodies.sort(({ value: a }, { value: b }) => (number(a) && number(b) ? direction * (a - b) : compare(a, b)));
  for (const { body } of bodies) table.append(body);
}

// A select shows one of several elements.
for (const select of document.querySelectorAll('[data-show]')) {
  select.closest('[hidden]').hidden = false;
  const choose = () => {
    for (const { value } of select.options) document.getElementById(value).hidden = value !== select.value;
  };
  select.addEventListener('change', choose);
  choose();
}

async function copyText(button, source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = 'Selected: press Ctrl+C';
  }
  setTimeout(() => (button.textContent = 'Copy'), 3000);
}
`;
