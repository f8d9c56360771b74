import { builder } from '../../graphql/schema/builder.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { RegionRef } from './graphql.ts';
import { regionRef } from './model.ts';

/** The argument that narrows a list of a team to one region. */
export const regionArgument = (plural: string) =>
  builder.args((t) => ({
    region: t.field({
      type: RegionRef,
      description: `Returns only ${plural} in this region. Fails with NOT_FOUND if the region is not open for the team.`,
      validate: validatedBy(regionRef),
    }),
  }));
