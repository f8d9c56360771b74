import { describeLargeInstalls } from '../../support/large-installs.ts';

// Small enough for each change. blocks.long.test.ts installs 500 components.
describeLargeInstalls({ components: 60, upgrades: 4, answers: { alone: 0, together: 0 } });
