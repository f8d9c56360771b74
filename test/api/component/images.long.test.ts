// On each database what `npm test` does on one.
import './images.once.test.ts';
