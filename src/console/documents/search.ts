import { graphql } from '../api/graphql.ts';

/** The search results in all teams of the caller, and what a command of the search is about. */
export const SearchQuery = graphql(`
  query Search($text: String!, $rest: String!, $isCommand: Boolean!) {
    teams(first: 5, words: $text) { totalCount nodes { id name alias } }
    applications(first: 8, words: $text) {
      totalCount
      nodes { id uid name team { id alias } region { id name alias } }
    }
    components(first: 10, words: $text) {
      totalCount
      nodes { id uid name image team { id alias } application { id name } }
    }
    httpRules(first: 8, words: $text) {
      totalCount
      nodes { id domain path application { id name team { id alias } } }
    }
    tcpRules(first: 5, words: $text) {
      totalCount
      nodes { id accessUrl component { id name } application { id name team { id alias } } }
    }
    ofApplications: applications(first: 5, words: $rest) @include(if: $isCommand) {
      nodes {
        id uid name team { id alias }
        deploy: viewerCan(action: DEPLOY_APPLICATION)
        start: viewerCan(action: START_APPLICATION)
        stop: viewerCan(action: STOP_APPLICATION)
        restart: viewerCan(action: RESTART_APPLICATION)
        upgrade: viewerCan(action: UPGRADE_APPLICATION)
      }
    }
    ofComponents: components(first: 10, words: $rest) @include(if: $isCommand) {
      nodes {
        id uid name team { id alias } application { id name }
        deploy: viewerCan(action: DEPLOY_COMPONENT)
        start: viewerCan(action: START_COMPONENT)
        stop: viewerCan(action: STOP_COMPONENT)
        restart: viewerCan(action: RESTART_COMPONENT)
        scale: viewerCan(action: SCALE_COMPONENT)
        image: viewerCan(action: UPDATE_COMPONENT)
      }
    }
  }
`);

export const TeamChoiceQuery = graphql(`
  query TeamChoice($search: String) {
    teams(first: 12, search: $search) { totalCount nodes { id name alias } }
  }
`);
