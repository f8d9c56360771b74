// On each database what `npm test` does on one.
import './metrics.once.test.ts';
