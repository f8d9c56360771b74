// Loaded into a server that is measured: on SIGUSR2 it writes the longest time, in milliseconds, for which its event
// loop was blocked since the last signal.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
process.on('SIGUSR2', () => {
  writeFileSync(process.env.DELAY_FILE, String(Math.max(0, delay.max / 1e6 - resolutionMs)));
  delay.reset();
});
