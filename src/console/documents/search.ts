import { graphql } from '../api/graphql.ts';

/** Teams by name, and what their names match in the teams of the caller. */
export const SearchQuery = graphql(`
  query Search($text: String!) {
    matching: teams(first: 5, search: $text) {
      nodes { id name alias }
    }
    teams(first: 50, orderBy: { field: NAME }) {
      nodes {
        id
        alias
        applications(first: 5, search: $text) {
          nodes { id appId name region { id name } }
        }
        components(first: 5, search: $text) {
          nodes { id uid name application { id name } }
        }
        httpRules(first: 5, search: $text) {
          nodes { id domain path application { id name } }
        }
      }
    }
  }
`);
