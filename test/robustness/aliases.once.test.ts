import { testAliasesOf } from '../support/aliases.ts';

testAliasesOf(['Port', 'TeamConnection']);
