// On each database what `npm test` does on one.
import './logs.once.test.ts';
