import { parseVersion } from '../../../capacity/src/tools/binary.js';

test.each([
  ['k6 v2.2.0 (go1.26.8, linux/amd64)', '2.2.0'],
  ['go version go1.26.8 linux/amd64', '1.26.8'],
  ['v4.3.1+g1234567', '4.3.1'],
  ['v4.3', '4.3.0'],
  ['v24.21.0', '24.21.0'],
  ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1', '7.0.15'],
  ['g++ (Debian 12.2.0-14+deb12u1) 12.2.0', '12.2.0'],
  ['postgres (PostgreSQL) 18.4', '18.4.0'],
  ['no version here', undefined],
])('%s', (text, version) => expect(parseVersion(text)?.version).toBe(version));
