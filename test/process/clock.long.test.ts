// On each database what `npm test` does on one.
import './clock.once.test.ts';
