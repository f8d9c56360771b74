import { graphql } from '../api/graphql.ts';

/** The search results in all teams of the caller. */
export const SearchQuery = graphql(`
  query Search($text: String!) {
    teams(first: 5, search: $text) { nodes { id name alias } }
    applications(first: 8, search: $text) {
      nodes { id uid name team { id alias } region { id name alias } }
    }
    components(first: 10, search: $text) {
      nodes { id uid name team { id alias } application { id name } }
    }
    httpRules(first: 8, search: $text) {
      nodes { id domain path application { id name team { id alias } } }
    }
  }
`);

export const TeamChoiceQuery = graphql(`
  query TeamChoice($search: String) {
    teams(first: 12, search: $search) { totalCount nodes { id name alias } }
  }
`);
