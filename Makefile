# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
#
# From nothing to a running robot:  make demo      to a tested one:  make test
#
# The environment lives in .venv and is made by .ci/prepare when it is missing, when another Python
# or ROS is asked for, or when one of the INPUTS below changed; otherwise work starts at once.
# ROS_WHEELS=kilted has an environment of its own, .venv-kilted, beside it.

.DEFAULT_GOAL := help
.PHONY: help demo test soak bits robots nodes lint bench pictures clean
.NOTPARALLEL:  # the environment first, then the work

INPUTS := package.xml setup.py setup.cfg .ci/prepare

# A ROS 2 that is sourced is used as it is; without one, it comes as wheels: Jazzy's, or those asked for.
ROS := $(if $(and $(ROS_DISTRO),$(AMENT_PREFIX_PATH)),$(ROS_DISTRO),wheels)
ROS_WHEELS ?= jazzy
VENV := .venv$(if $(filter-out jazzy,$(ROS_WHEELS)),-$(ROS_WHEELS))

# .kind keeps what the environment was made for, '<ros> <python>', so PYTHON= is needed only once.
KIND := $(shell cat $(VENV)/.kind 2>/dev/null)
PYTHON ?= $(or $(word 2,$(KIND)),python3)

# Under a Python of the ROS wheels (a test that calls make) its traces must not reach our own.
ifdef _ROS_WHEELS_BOOTSTRAP_COMPLETE
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE LD_LIBRARY_PATH
endif

# The venv is an ament prefix of its own, before those of a sourced ROS.
RUN := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" \
       AMENT_PREFIX_PATH="$(CURDIR)/$(VENV)$(if $(filter-out wheels,$(ROS)),:$(AMENT_PREFIX_PATH))"

help: ## this list
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16
	@echo '  PYTHON=python3.12 after any of them: the Python to make .venv with'
	@echo '  ROS_WHEELS=kilted after any of them: ROS 2 Kilted instead of Jazzy, in .venv-kilted'
	@echo '  TESTS=test/plant after make test:    only these; WORKERS=0: in one process'

demo: $(VENV)/.ready-demo share ## a SCARA robot on its helix: plant, controller and trajectory as ROS 2 nodes
	@echo 'A SCARA robot follows a helix: plant, controller and trajectory as ROS 2 nodes, in lockstep.'
	@$(RUN) robodyn run scara_helix --fast

# A file of tests stays with one worker, for the fixtures its tests share; every worker has a DDS
# domain of its own (test/conftest.py). The compiled programs are in one cache for all.
WORKERS ?= 2
PYTEST := pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
TESTS ?= test

test: $(VENV)/.ready-test share ## every test and every linter
	@$(RUN) $(PYTEST) $(TESTS)

robots: $(VENV)/.ready-test share ## every fixed-base robot of example-robot-data, run as ROS 2 nodes; some minutes
	@$(RUN) pytest -m every_robot test/every_robot

nodes: $(VENV)/.ready-nodes share ## only the tests of nodes, graph, launch files and recordings
	@$(RUN) $(PYTEST) test/system test/nodes test/launch test/recording

SOAK_MINUTES ?= 10
soak: $(VENV)/.ready-test share ## a million damaged inputs, storms, and ten minutes of every node; one table
	@$(RUN) PYTHONPATH=test python test/hostile/soak.py --minutes $(SOAK_MINUTES)

BITS ?=
bits: $(VENV)/.ready-test share ## a million steps of every scenario as exported C, to the last bit; half an hour
	@$(RUN) PYTHONPATH=test python test/export/bits.py $(BITS)

lint: $(VENV)/.ready-test share ## only the linters
	@$(RUN) pytest test/style

bench: $(VENV)/.ready-bench share ## speed and accuracy beside five engines; writes docs/benchmarks.md
	@$(RUN) python -m benchmarks all

pictures: $(VENV)/.ready-test share ## the pictures of the README, made anew
	@$(RUN) python docs/pictures.py

clean: ## remove everything that was made
	rm -rf .venv .venv-* .venv*.log build install log .pytest_cache .mypy_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

READY := $(addprefix $(VENV)/.ready-,demo bench nodes test)
$(READY): $(VENV)/.ready-%: $(INPUTS)
	@PYTHON='$(PYTHON)' ROS='$(ROS)' ROS_WHEELS='$(ROS_WHEELS)' .ci/prepare $*
ifneq ($(KIND),$(ROS) $(PYTHON))
.PHONY: $(READY)
endif

# An editable install leaves the data files out. So the ament index and the share folder in the venv
# point at the sources, and an edited or new URDF counts at once. One link per file: pip replaces a
# link to a file, but it would write through a link to a folder.
SHARE := $(VENV)/share/robodyn_ros
INDEX := $(VENV)/share/ament_index/resource_index/packages
.PHONY: share
share:
	@mkdir -p $(INDEX) $(addprefix $(SHARE)/,launch config urdf rviz)
	@ln -sf "$(CURDIR)/resource/robodyn_ros" $(INDEX)/robodyn_ros
	@for file in package.xml $(wildcard launch/*.* config/*.* urdf/*.* rviz/*.*); do \
	    ln -sf "$(CURDIR)/$$file" $(SHARE)/$$file || exit 1; \
	done
	@mkdir -p $(VENV)/lib/robodyn_ros  # where ros2 run and ros2 launch look for executables
	@for file in $(VENV)/bin/robodyn $(VENV)/bin/*_node; do \
	    [ ! -e "$$file" ] || ln -sf "$(CURDIR)/$$file" $(VENV)/lib/robodyn_ros/ || exit 1; \
	done
	@find $(SHARE) -xtype l -delete  # what was renamed or removed
