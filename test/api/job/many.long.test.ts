// On each database what `npm test` does on one.
import './many.once.test.ts';
