import { Admission, ConcurrencyLimit } from './testing.js';

/** A line of an overload: others were refused just now. */
const crowd = (underWay: number, served: number, at: number) => ({
  ...{ underWay, waiting: 100, isCrowd: true, ended: served, served, unloaded: 0, age: 0, refusedAt: at },
});

interface Overloaded {
  full?: number;
  rate: (underWay: number) => number;
  busy: () => number;
  /** Milliseconds that each takes by itself. */
  unloaded?: number;
}

describe('the adaptive concurrency limit', () => {
  /** An n8n in an overload: what leaves per second with so many under way, and how busy its thread is. */
  function overloaded({ full = 48, rate, busy, unloaded = 0 }: Overloaded) {
    let [at, left] = [0, 0];
    const limit = new ConcurrencyLimit({ full, busy, now: () => at });
    let underWay = full;
    return (seconds: number) => {
      const seen = new Set<number>();
      for (const end = at + 1000 * seconds; at < end; at += 50) {
        left += rate(underWay) / 20;
        underWay = limit.most;
        limit.onLine({ ...crowd(underWay, left, at), unloaded });
        seen.add(limit.most);
      }
      return { most: limit.most, seen: [...seen] };
    };
  }

  it('what is served in a second where the process is busy: more would only be later', () => {
    const after = overloaded({ rate: () => 10, busy: () => 1 });
    expect(after(60)).toEqual({ most: 10, seen: [48, 24, 12, 10] });
    expect(after(60).seen).toEqual([10]);
  });

  it('what is served in the time that each only waits besides', () => {
    // Each waits for a second, and the process serves 11.7 a second.
    const after = overloaded({ full: 40, rate: (n) => Math.min(11.7, n), busy: () => 0.9, unloaded: 1000 });
    expect(after(60)).toEqual({ most: 24, seen: [40, 24] });
  });

  it('five where less is served in a second', () => {
    expect(overloaded({ rate: () => 2, busy: () => 1 })(120).most).toBe(5);
  });

  it('raises the limit when executions become cheaper', () => {
    let rate = 3;
    const after = overloaded({ rate: () => rate, busy: () => 1 });
    expect(after(120).most).toBe(5);
    rate = 30;
    expect(after(30).most).toBe(30);
  });

  it('all where as many are served in a second', () => {
    expect(overloaded({ rate: (n) => n + 40, busy: () => 1 })(60).seen).toEqual([48]);
  });

  it('as many as make a difference; the next tries come later and later', () => {
    const after = overloaded({ rate: (n) => Math.min(10, n / 2), busy: () => 0.9 });
    expect(after(30)).toEqual({ most: 24, seen: [48, 24, 12] });
    const tries = Array.from({ length: 60 }, () => after(10).seen.includes(12));
    expect(after(1).most).toBe(24);
    expect(tries.slice(0, 30).filter(Boolean).length).toBeGreaterThan(tries.slice(30).filter(Boolean).length);
    expect(tries.filter(Boolean).length).toBeLessThan(25);
  });

  it('low also where executions that began together end together, and the thread rests in between', () => {
    // Read in a run on Kubernetes: those under way end within a third of the time that they take together, at 11/s.
    let [at, ended, thread, looked] = [0, 0, 0, 0];
    const busy = () => {
      const share = thread / (at - looked || 1);
      [thread, looked] = [0, at];
      return share;
    };
    const limit = new ConcurrencyLimit({ full: 51, busy, now: () => at });
    let high = 0;
    for (let [cycle, begun] = [51 / 11, 0]; at < 60_000; at += 50) {
      const phase = (at - begun) / 1000 / cycle;
      if (phase > 2 / 3) ended += (3 * 11) / 20;
      thread += phase > 1 / 2 ? 50 : 15;
      if (phase >= 1) [begun, cycle] = [at, limit.most / 11];
      limit.onLine(crowd(limit.most, ended, at));
      if (at > 10_000 && limit.most > 26) high += 50;
    }
    expect(high).toBeLessThan(10_000);
  });

  it('as many as serve nine tenths of what the full limit does, however slowly that falls', () => {
    const after = overloaded({ rate: (n) => 10 * n ** 0.12, busy: () => 0.9 });
    expect(after(600).most).toBe(24);
  });

  it('more than what a process that had just started served', () => {
    let warm = false;
    const after = overloaded({ rate: (n) => (warm ? Math.min(40, 2 * n) : 12), busy: () => 0.9 });
    after(2);
    warm = true;
    expect(after(40).most).toBe(40);
  });

  it('lowers the limit when clients give up before they are served', () => {
    const after = overloaded({ rate: (n) => (n <= 12 ? 20 : 0), busy: () => 1 });
    expect(after(60).most).toBeLessThanOrEqual(12);
  });

  it('all where the process has time to spare: executions wait', () => {
    const after = overloaded({ rate: (n) => n / 5, busy: () => 0.15 });
    expect(after(60).seen).toEqual([48]);
  });

  it('all again, within seconds, when executions begin to wait', () => {
    let busy = 1;
    const after = overloaded({ rate: () => 20, busy: () => busy });
    expect(after(30).most).toBe(20);
    busy = 0.2;
    expect(after(10).most).toBe(48);
  });

  it('enough where executions that wait hold places: those that compute do not starve', () => {
    // Twenty wait for a minute; the others take what is left.
    let underWay = 48;
    const computing = () => underWay > 20;
    let [at, left, starved] = [0, 0, 0];
    const limit = new ConcurrencyLimit({ full: 48, busy: () => (computing() ? 0.9 : 0.1), now: () => at });
    for (; at < 60_000; at += 50) {
      underWay = Math.max(20, limit.most);
      if (computing()) left++;
      else starved += 50;
      limit.onLine(crowd(underWay, left, at));
    }
    expect(starved).toBeLessThan(6000);
  });

  it('all after ten seconds without a line', () => {
    let at = 0;
    const limit = new ConcurrencyLimit({ full: 48, busy: () => 1, now: () => at });
    for (let left = 0; at < 20_000; at += 50) limit.onLine(crowd(limit.most, left++, at));
    expect(limit.most).toBeLessThan(48);
    at += 10_001;
    limit.onLine(crowd(5, 1000, at));
    expect(limit.most).toBe(48);
  });

  it('all where the limit itself makes the line: all that wait would fit, and nobody was refused for five seconds', () => {
    let at = 0;
    const limit = new ConcurrencyLimit({ full: 48, busy: () => 1, now: () => at });
    for (let left = 0; at < 20_000; at += 50) limit.onLine(crowd(limit.most, left++, at));
    expect(limit.most).toBe(20);
    const refusedAt = at;
    const few = { ...crowd(20, 400, refusedAt), waiting: 20 };
    limit.onLine({ ...few, waiting: 100 });
    limit.onLine(few);
    expect(limit.most).toBe(20);
    at += 5001;
    limit.onLine({ ...few, waiting: 44 });
    expect(limit.most).toBe(20);
    limit.onLine(few);
    expect(limit.most).toBe(48);
  });

  it('is what an admission keeps to', () => {
    const admission = new Admission({ most: 9, line: 9, longest: 1000 });
    admission.concurrency = { most: 1, onLine: () => {} };
    let entered = 0;
    for (let i = 0; i < 3; i++)
      admission.arrive(
        () => entered++,
        () => {},
      );
    expect(entered).toBe(1);
  });
});
