import { testTeamApplications } from '../../../support/kubernetes/before-isolation.ts';

testTeamApplications(6);
