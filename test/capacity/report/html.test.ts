import { html, json, raw } from '../../../capacity/src/report/html/html.js';

test.each([
  ['text', html`<p>${'<b> & "x" \'y\''}</p>`, '<p>&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;</p>'],
  ['an attribute', html`<p title="${'" onclick="x'}"></p>`, '<p title="&quot; onclick=&quot;x"></p>'],
  ['numbers', html`${0}${1.5}`, '01.5'],
  ['nothing', html`a${undefined}${null}${false}b`, 'ab'],
  ['nested markup', html`<b>${['<', '>'].map((x) => html`<i>${x}</i>`)}</b>`, '<b><i>&lt;</i><i>&gt;</i></b>'],
  ['text in a list', html`${['<a>', '&']}`, '&lt;a&gt;&amp;'],
  ['what is declared safe', html`${raw('<br>')}`, '<br>'],
  ['json', html`${json({ a: '</script><!--' })}`, '{"a":"\\u003c/script>\\u003c!--"}'],
])('a template takes %s', (_what, made, expected) => {
  expect(made.text).toBe(expected);
});
