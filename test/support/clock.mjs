// Loaded into a process: its clock is ahead by TEST_CLOCK_AHEAD_MS, and on SIGUSR2 goes back an hour, as when somebody sets it.
// Timers are not affected.
const RealDate = Date;
let shiftMs = -Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const now = () => RealDate.now() - shiftMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
RealDate.prototype.constructor = Date;
process.on('SIGUSR2', () => {
  shiftMs += 3_600_000;
  process.stdout.write('the clock went back\n');
});
