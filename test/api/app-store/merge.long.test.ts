// On each database what `npm test` does on one.
import './merge.once.test.ts';
