import { describeLargeInstalls } from '../../support/large-installs.ts';

describeLargeInstalls({ components: 500, upgrades: 20, answers: { alone: 3, together: 10 } });
