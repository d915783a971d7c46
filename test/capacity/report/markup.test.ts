import fc from 'fast-check';
import { xml } from '../../../capacity/src/report/xml.js';

test.each([
  ['text', xml`<a>${'<b> & "x" \'y\''}</a>`, '<a>&lt;b&gt; &amp; &quot;x&quot; &apos;y&apos;</a>'],
  ['line ends, which an attribute would lose', xml`<a b="${'x\r\n\ty'}"/>`, '<a b="x&#13;&#10;&#9;y"/>'],
  ['the end of a CDATA section', xml`${']]>'}`, ']]&gt;'],
  ['what no document may hold', xml`${'\u0000\u001b[31m\ufffe'}`, '\ufffd\ufffd[31m\ufffd'],
  ['a lone surrogate', xml`${'a\ud800b'}`, 'a\ufffdb'],
  ['characters beyond the first plane', xml`${'😀'}`, '😀'],
  ['nested markup and nothing', xml`${['<', xml`<i/>`]}${undefined}${false}${0}`, '&lt;<i/>0'],
])('a template takes %s', (_what, made, expected) => {
  expect(made.text).toBe(expected);
});

test('whatever is put in, no markup and nothing forbidden comes out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const made = xml`${text}`.text;
      expect(made).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|apos|#9|#10|#13);)/);
      expect(made).not.toMatch(/[\u0000-\u001f\ufffe\uffff]|\p{Surrogate}/u);
    }),
  );
});
