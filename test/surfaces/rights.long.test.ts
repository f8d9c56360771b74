// On each database what `npm test` does on one.
import './rights.once.test.ts';
