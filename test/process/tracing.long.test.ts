// On each database what `npm test` does on one.
import './tracing.once.test.ts';
