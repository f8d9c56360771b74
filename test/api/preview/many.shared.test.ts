import { testManyPreviews } from '../../support/many-previews.ts';

testManyPreviews({ most: 12, room: 5 });
