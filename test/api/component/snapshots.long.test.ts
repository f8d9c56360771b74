// On each database what `npm test` does on one.
import './snapshots.once.test.ts';
