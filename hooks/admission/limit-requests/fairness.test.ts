import { Admission, type Limits } from './testing.js';

/** Visitors of paths, by their numbers, in front of an admission. */
function visitors(limits: Partial<Limits>) {
  const admission = new Admission({ most: 10, line: 10, longest: 1000, ...limits });
  const [entered, refused]: [string[], string[]] = [[], []];
  const leaves = new Map<string, () => void>();
  let count = 0;
  const arrive = (path: string, times = 1) => {
    for (let i = 0; i < times; i++) {
      const visitor = `${path}${++count}`;
      admission.arrive(
        (leave) => {
          entered.push(visitor);
          leaves.set(visitor, leave);
        },
        () => refused.push(visitor),
        { path },
      );
    }
  };
  const of = (all: string[], path: string) => all.filter((visitor) => visitor.startsWith(path)).length;
  const leave = (path: string) => {
    const visitor = [...leaves.keys()].find((one) => one.startsWith(path))!;
    leaves.get(visitor)!();
    leaves.delete(visitor);
  };
  return { admission, arrive, leave, entered, refused, inside: (path: string) => of([...leaves.keys()], path), of };
}

describe('places by path', () => {
  it('a path that is alone has all of them, and no more', () => {
    const { arrive, inside } = visitors({});
    arrive('a', 30);
    expect(inside('a')).toBe(10);
  });

  it('a path whose executions never end leaves places to the others', () => {
    const { arrive, leave, inside } = visitors({ most: 20 });
    arrive('hung', 60);
    for (let i = 0; i < 100; i++) {
      arrive('b');
      expect(inside('b')).toBe(1);
      leave('b');
    }
    expect(inside('hung')).toBe(20);
  });

  it('and gets places again after ten minutes, though others are served meanwhile', () => {
    let now = 0;
    const { admission, arrive, leave, inside, entered, of } = visitors({ most: 15, line: 0, now: () => now });
    let stuck = 0;
    admission.onStuck = (count) => (stuck += count);
    arrive('hung', 15);
    for (now = 1000; now < 700_000; now += 1000) {
      arrive('hung');
      arrive('b');
      if (inside('b') > 0) leave('b');
    }
    expect(stuck).toBeGreaterThanOrEqual(15);
    expect(of(entered, 'hung')).toBeGreaterThan(15);
  });

  it('requests that resume executions leave some, too', () => {
    const { admission, arrive } = visitors({ most: 15, line: 0 });
    for (let i = 0; i < 40; i++)
      admission.arrive(
        () => {},
        () => {},
        { resumes: true, path: 'resumes' },
      );
    expect(admission.underWay).toBe(15);
    arrive('b');
    expect(admission.underWay).toBe(16);
  });

  it('two such paths, too: of the places that are kept, each takes half of what is left', () => {
    const { arrive, inside } = visitors({ most: 100, line: 0 });
    for (const path of ['a', 'b', 'c', 'd']) arrive(path, 200);
    expect(['a', 'b', 'c', 'd'].map(inside)).toEqual([100, 5, 3, 1]);
  });

  it.each([1, 2, 5, 15, 51, 87, 100])('no more than a tenth, at least one, is kept beyond a limit of %d', (most) => {
    const { admission, arrive } = visitors({ most, line: 0 });
    for (let path = 0; path < 300; path++) arrive(`${path}-`, 200);
    expect(admission.underWay).toBe(most + Math.ceil(most / 10));
  });

  it('executions that go on after their answer hold the places of the path that started them', () => {
    const of = new Map([['hung', { all: 10, answered: 10 }]]);
    const { arrive, inside } = visitors({ executions: () => ({ all: 10, answered: 10, held: 10, of }) });
    arrive('hung');
    arrive('b');
    expect([inside('hung'), inside('b')]).toEqual([0, 1]);
  });
});

describe('the line', () => {
  it('serves the path that holds the fewest places first, and each path in order', () => {
    const { arrive, leave, entered } = visitors({ most: 4 });
    arrive('a', 4);
    arrive('b', 1);
    arrive('a', 3);
    arrive('b', 2);
    arrive('c', 1);
    entered.length = 0;
    for (let i = 0; i < 4; i++) leave('a');
    // b holds the place that is kept, and as many as a when a6 and a7 enter, who came before.
    expect(entered).toEqual(['c11', 'a6', 'a7']);
    leave('a');
    leave('a');
    expect(entered.slice(3)).toEqual(['a8', 'b9']);
  });

  it('that is full of one path makes room for another, and refuses the last one', () => {
    const { arrive, refused, admission } = visitors({ most: 1, line: 3 });
    arrive('a', 4);
    arrive('b', 2);
    // b1 has the place that is kept; b2 waits.
    expect(refused).toEqual(['a4']);
    expect(admission.waiting).toBe(3);
    arrive('a');
    expect(refused).toEqual(['a4', 'a7']);
  });

  it('of many paths refuses whoever comes last', () => {
    const { arrive, refused } = visitors({ most: 1, line: 2 });
    for (const path of ['a', 'b', 'c', 'd', 'e']) arrive(path);
    expect(refused).toEqual(['e5']);
  });
});
