import { testManyPreviews } from '../../support/many-previews.ts';

testManyPreviews({ most: 50, room: 17 });
