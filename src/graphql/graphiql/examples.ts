import type { GraphiqlOptions } from './graphiql.ts';

/** Names and ids of objects of an installation, for the first tab. Further tabs begin with it. */
const names = `query Names {
  teams(first: 20) {
    nodes {
      name
      applications(first: 1) {
        nodes {
          uid
          name
          components(first: 20) { nodes { uid name ports(first: 1) { nodes { number } } } }
        }
      }
    }
  }
}`;

const head = '# Put the cursor into an operation and press Ctrl+Enter to run it.\n';

const fields = `    name
    applications(first: 10) {
      totalCount
      nodes {
        name
        region { name status }
        components(first: 10) {
          nodes {
            name
            state
            image
            accessUrls
            ports { nodes { number protocol alias isInner isOuter } }
          }
        }
      }
    }`;

/** Those of an installation with components. Words in angle brackets stand for what `names` returns, in JSON. */
const named = `${head}
# A team with its applications, components and ports, in one request.
query Tree {
  team(by: { name: <team> }) {
${fields}
  }
}

# What an application is doing.
query Application {
  application(by: { appId: <appId> }) {
    name
    state
    jobs(first: 5) { nodes { kind status createdAt } }
  }
}

# What happened in the team, newest first.
query Events {
  team(by: { name: <team> }) {
    events(first: 10) { nodes { at summary user { email } } }
  }
}

# Opens a port of <component> to the outside. A dry run returns the plan and changes nothing.
mutation OpenPort {
  openOuterService(
    input: { port: { at: { component: { componentId: <componentId> }, number: <port> } }, dryRun: true }
  ) {
    __typename
    ... on OpenOuterServicePayload { plan { summary } }
    ... on Error { code message }
  }
}
`;

/** Those of an installation without components. */
const unnamed = `${head}
# All teams with their applications, components and ports, in one request.
query Tree {
  teams {
    nodes {
${fields.replaceAll(/^/gm, '  ')}
    }
  }
}

# Who the access token of this page speaks for.
query Viewer {
  viewer {
    isAdministrator
    user { email nickName }
    enterprise { name alias }
  }
}

# The clusters in which applications can run.
query Regions {
  regions { nodes { name alias status } }
}

# Creates a team, which applications belong to.
mutation CreateTeam {
  createTeam(input: { name: "shop" }) {
    __typename
    ... on CreateTeamPayload { team { uid name } }
    ... on Error { code message }
  }
}
`;

/** The initial tab of the GraphiQL page. */
export const graphiqlOptions = (endpoint: string): GraphiqlOptions => ({
  endpoint,
  title: 'Trellis',
  names,
  named,
  unnamed,
});
