// On each database what `npm test` does on one.
import './counts.once.test.ts';
