import { graphql } from '../api/graphql.ts';

/** Whether the installation is the demo, by its record, and what the errands of its home page are about. */
export const ErrandsQuery = graphql(`
  query Errands($team: TeamRef!, $since: DateTime!, $until: DateTime!) {
    events(first: 1, action: "demo.create", since: $since, until: $until) { nodes { id } }
    team(by: $team) {
      id
      applications(first: 1, search: "Sock Shop") {
        nodes {
          id
          uid
          shipping: components(first: 1, search: "shipping") { nodes { id uid image } }
          catalogue: components(first: 1, search: "catalogue") {
            nodes { id uid group { id templateVersion } ports(first: 5) { nodes { id isOuter } } }
          }
        }
      }
    }
  }
`);
