// On each database what `npm test` does on one.
import './bad-arguments.once.test.ts';
