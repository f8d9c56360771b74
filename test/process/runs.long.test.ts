// On each database what `npm test` does on one.
import './runs.once.test.ts';
