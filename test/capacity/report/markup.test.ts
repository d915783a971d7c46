import fc from 'fast-check';
import { html, json, raw, xml } from '../../../capacity/src/report/markup.js';

test.each([
  ['text', xml`<a>${'<b> & "x" \'y\''}</a>`, '<a>&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;</a>'],
  ['line ends, which an attribute would lose', xml`<a b="${'x\r\n\ty'}"/>`, '<a b="x&#13;&#10;&#9;y"/>'],
  ['the end of a CDATA section', xml`${']]>'}`, ']]&gt;'],
  ['what no document may hold', xml`${'\u0000\u001b[31m\ufffe'}`, '\ufffd\ufffd[31m\ufffd'],
  ['a lone surrogate', xml`${'a\ud800b'}`, 'a\ufffdb'],
  ['characters beyond the first plane', xml`${'😀'}`, '😀'],
  ['nested markup and nothing', xml`${['<', xml`<i/>`]}${undefined}${false}${0}`, '&lt;<i/>0'],
])('a template of XML takes %s', (_what, made, expected) => {
  expect(made.text).toBe(expected);
});

test('a template of XML lets no markup and nothing forbidden through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const made = xml`${text}`.text;
      expect(made).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39|#9|#10|#13);)/);
      expect(made).not.toMatch(/[\u0000-\u001f\ufffe\uffff]|\p{Surrogate}/u);
    }),
  );
});

test.each([
  ['text', html`<p>${'<b> & "x" \'y\''}</p>`, '<p>&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;</p>'],
  ['an attribute', html`<p title="${'" onclick="x'}"></p>`, '<p title="&quot; onclick=&quot;x"></p>'],
  ['numbers', html`${0}${1.5}`, '01.5'],
  ['nothing', html`a${undefined}${null}${false}b`, 'ab'],
  ['nested markup', html`<b>${['<', '>'].map((x) => html`<i>${x}</i>`)}</b>`, '<b><i>&lt;</i><i>&gt;</i></b>'],
  ['text in a list', html`${['<a>', '&']}`, '&lt;a&gt;&amp;'],
  ['what is declared safe', html`${raw('<br>')}`, '<br>'],
  ['json', html`${json({ a: '</script><!--' })}`, '{"a":"\\u003c/script>\\u003c!--"}'],
])('a template of HTML takes %s', (_what, made, expected) => {
  expect(made.text).toBe(expected);
});
